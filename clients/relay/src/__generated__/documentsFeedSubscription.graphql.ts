/**
 * @generated SignedSource<<539cf7852ed1d78ec44ac1c9b8d64c9b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type FeedMode = "COMPOSED" | "FLAT_GUARDED" | "FLAT_UNPINNED";
export type AgentPin = {
  agentId: string;
  agentVersion?: number | null | undefined;
};
export type documentsFeedSubscription$variables = {
  id: string;
  pin?: AgentPin | null | undefined;
};
export type documentsFeedSubscription$data = {
  readonly feed: {
    readonly entries: ReadonlyArray<{
      readonly iteration: number | null | undefined;
      readonly key: string;
      readonly parent: string | null | undefined;
      readonly row: {
        readonly " $fragmentSpreads": FragmentRefs<"documents_feedRow">;
      };
      readonly track: number | null | undefined;
    }>;
    readonly mode: FeedMode;
    readonly reason: string | null | undefined;
  };
};
export type documentsFeedSubscription = {
  response: documentsFeedSubscription$data;
  variables: documentsFeedSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  },
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "pin"
  }
],
v1 = [
  {
    "kind": "Variable",
    "name": "conversationId",
    "variableName": "id"
  },
  {
    "kind": "Literal",
    "name": "minIntervalMs",
    "value": 200
  },
  {
    "kind": "Variable",
    "name": "pin",
    "variableName": "pin"
  }
],
v2 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "mode",
  "storageKey": null
},
v3 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "reason",
  "storageKey": null
},
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "key",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "parent",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "track",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "iteration",
  "storageKey": null
},
v8 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "__typename",
  "storageKey": null
},
v9 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v10 = [
  (v9/*:: as any*/)
],
v11 = {
  "kind": "InlineFragment",
  "selections": (v10/*:: as any*/),
  "type": "Row",
  "abstractKey": "__isRow"
},
v12 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "type",
  "storageKey": null
},
v13 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "path",
  "storageKey": null
},
v14 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "content",
  "storageKey": null
},
v15 = {
  "kind": "InlineFragment",
  "selections": [
    (v14/*:: as any*/)
  ],
  "type": "UserRow",
  "abstractKey": null
},
v16 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "complete",
  "storageKey": null
},
v17 = {
  "kind": "InlineFragment",
  "selections": [
    (v14/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "reasoning",
      "storageKey": null
    },
    (v16/*:: as any*/)
  ],
  "type": "AssistantRow",
  "abstractKey": null
},
v18 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "name",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "value",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "status",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "format",
      "storageKey": null
    },
    (v16/*:: as any*/)
  ],
  "type": "OutputRow",
  "abstractKey": null
},
v19 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "toolCallId",
  "storageKey": null
},
v20 = {
  "kind": "InlineFragment",
  "selections": [
    (v19/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "toolName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "input",
      "storageKey": null
    }
  ],
  "type": "ToolCallRow",
  "abstractKey": null
},
v21 = {
  "kind": "InlineFragment",
  "selections": [
    (v19/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "output",
      "storageKey": null
    }
  ],
  "type": "ToolResultRow",
  "abstractKey": null
},
v22 = {
  "kind": "InlineFragment",
  "selections": [
    (v4/*:: as any*/),
    (v12/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "nodeName",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "hasEarlier",
      "storageKey": null
    }
  ],
  "type": "CompositeRow",
  "abstractKey": "__isCompositeRow"
},
v23 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "branchStatus",
      "storageKey": null
    }
  ],
  "type": "FanOutRow",
  "abstractKey": null
},
v24 = {
  "kind": "InlineFragment",
  "selections": [
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "nodeStatus",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "runningCount",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "doneCount",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "failedCount",
      "storageKey": null
    }
  ],
  "type": "SubagentRow",
  "abstractKey": null
},
v25 = {
  "kind": "InlineFragment",
  "selections": [
    (v2/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "done",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "total",
      "storageKey": null
    }
  ],
  "type": "RepeatRow",
  "abstractKey": null
};
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "documentsFeedSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "Feed",
        "kind": "LinkedField",
        "name": "feed",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": "FeedEntry",
            "kind": "LinkedField",
            "name": "entries",
            "plural": true,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              (v6/*:: as any*/),
              (v7/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "row",
                "plural": false,
                "selections": [
                  {
                    "kind": "InlineDataFragmentSpread",
                    "name": "documents_feedRow",
                    "selections": [
                      (v8/*:: as any*/),
                      (v11/*:: as any*/),
                      {
                        "fragment": {
                          "kind": "InlineFragment",
                          "selections": [
                            {
                              "kind": "InlineDataFragmentSpread",
                              "name": "documents_row",
                              "selections": [
                                (v8/*:: as any*/),
                                (v9/*:: as any*/),
                                (v12/*:: as any*/),
                                (v13/*:: as any*/),
                                (v15/*:: as any*/),
                                (v17/*:: as any*/),
                                (v18/*:: as any*/),
                                (v20/*:: as any*/),
                                (v21/*:: as any*/)
                              ],
                              "args": null,
                              "argumentDefinitions": []
                            }
                          ],
                          "type": "Row",
                          "abstractKey": "__isRow"
                        },
                        "kind": "AliasedInlineFragmentSpread",
                        "name": "item"
                      },
                      (v22/*:: as any*/),
                      (v23/*:: as any*/),
                      (v24/*:: as any*/),
                      (v25/*:: as any*/)
                    ],
                    "args": null,
                    "argumentDefinitions": []
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "documentsFeedSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v1/*:: as any*/),
        "concreteType": "Feed",
        "kind": "LinkedField",
        "name": "feed",
        "plural": false,
        "selections": [
          (v2/*:: as any*/),
          (v3/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": "FeedEntry",
            "kind": "LinkedField",
            "name": "entries",
            "plural": true,
            "selections": [
              (v4/*:: as any*/),
              (v5/*:: as any*/),
              (v6/*:: as any*/),
              (v7/*:: as any*/),
              {
                "alias": null,
                "args": null,
                "concreteType": null,
                "kind": "LinkedField",
                "name": "row",
                "plural": false,
                "selections": [
                  (v8/*:: as any*/),
                  {
                    "kind": "TypeDiscriminator",
                    "abstractKey": "__isFeedRow"
                  },
                  (v11/*:: as any*/),
                  {
                    "kind": "InlineFragment",
                    "selections": [
                      (v9/*:: as any*/),
                      (v12/*:: as any*/),
                      (v13/*:: as any*/),
                      (v15/*:: as any*/),
                      (v17/*:: as any*/),
                      (v18/*:: as any*/),
                      (v20/*:: as any*/),
                      (v21/*:: as any*/)
                    ],
                    "type": "Row",
                    "abstractKey": "__isRow"
                  },
                  (v22/*:: as any*/),
                  (v23/*:: as any*/),
                  (v24/*:: as any*/),
                  (v25/*:: as any*/),
                  {
                    "kind": "InlineFragment",
                    "selections": (v10/*:: as any*/),
                    "type": "AssistantRow",
                    "abstractKey": null
                  },
                  {
                    "kind": "InlineFragment",
                    "selections": (v10/*:: as any*/),
                    "type": "OutputRow",
                    "abstractKey": null
                  },
                  {
                    "kind": "InlineFragment",
                    "selections": (v10/*:: as any*/),
                    "type": "ToolCallRow",
                    "abstractKey": null
                  },
                  {
                    "kind": "InlineFragment",
                    "selections": (v10/*:: as any*/),
                    "type": "ToolResultRow",
                    "abstractKey": null
                  },
                  {
                    "kind": "InlineFragment",
                    "selections": (v10/*:: as any*/),
                    "type": "UserRow",
                    "abstractKey": null
                  }
                ],
                "storageKey": null
              }
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "b62176127d38fbf44fd1d52c86deec80",
    "id": null,
    "metadata": {},
    "name": "documentsFeedSubscription",
    "operationKind": "subscription",
    "text": "subscription documentsFeedSubscription(\n  $id: ID!\n  $pin: AgentPin\n) {\n  feed(conversationId: $id, pin: $pin, minIntervalMs: 200) {\n    mode\n    reason\n    entries {\n      key\n      parent\n      track\n      iteration\n      row {\n        __typename\n        ...documents_feedRow\n        ... on AssistantRow {\n          id\n        }\n        ... on OutputRow {\n          id\n        }\n        ... on ToolCallRow {\n          id\n        }\n        ... on ToolResultRow {\n          id\n        }\n        ... on UserRow {\n          id\n        }\n      }\n    }\n  }\n}\n\nfragment documents_feedRow on FeedRow {\n  __isFeedRow: __typename\n  __typename\n  ... on Row {\n    __isRow: __typename\n    id\n  }\n  ...documents_row\n  ... on CompositeRow {\n    __isCompositeRow: __typename\n    key\n    type\n    nodeName\n    hasEarlier\n  }\n  ... on FanOutRow {\n    branchStatus\n  }\n  ... on SubagentRow {\n    nodeStatus\n    runningCount\n    doneCount\n    failedCount\n  }\n  ... on RepeatRow {\n    mode\n    done\n    total\n  }\n}\n\nfragment documents_row on Row {\n  __isRow: __typename\n  __typename\n  id\n  type\n  path\n  ... on UserRow {\n    content\n  }\n  ... on AssistantRow {\n    content\n    reasoning\n    complete\n  }\n  ... on OutputRow {\n    name\n    value\n    status\n    format\n    complete\n  }\n  ... on ToolCallRow {\n    toolCallId\n    toolName\n    input\n  }\n  ... on ToolResultRow {\n    toolCallId\n    output\n  }\n}\n"
  }
};
})();

(node as any).hash = "fd0f2dc7823d33ba360760a9741f49d5";

export default node;
