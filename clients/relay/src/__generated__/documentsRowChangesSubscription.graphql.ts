/**
 * @generated SignedSource<<f67e11a529527840c564ffe495d29af7>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
import type { FragmentRefs } from "relay-runtime";
export type ArtifactFormat = "CODE" | "HTML" | "LIST" | "MARKDOWN" | "TEXT";
export type BindingStatus = "BUILDING" | "FINAL";
export type RowTextField = "CONTENT" | "REASONING" | "VALUE";
export type documentsRowChangesSubscription$variables = {
  after?: string | null | undefined;
  id: string;
  path?: ReadonlyArray<string> | null | undefined;
};
export type documentsRowChangesSubscription$data = {
  readonly rowChanges: {
    readonly cursor: string;
    readonly ops: ReadonlyArray<{
      readonly __typename: "RowInserted";
      readonly index: number;
      readonly row: {
        readonly " $fragmentSpreads": FragmentRefs<"documents_row">;
      };
    } | {
      readonly __typename: "RowRemoved";
      readonly index: number;
    } | {
      readonly __typename: "RowReplaced";
      readonly index: number;
      readonly row: {
        readonly " $fragmentSpreads": FragmentRefs<"documents_row">;
      };
    } | {
      readonly __typename: "RowTextAppended";
      readonly field: RowTextField;
      readonly index: number;
      readonly offset: number;
      readonly text: string;
    } | {
      readonly __typename: "RowsReset";
      readonly rows: ReadonlyArray<{
        readonly " $fragmentSpreads": FragmentRefs<"documents_row">;
      }>;
    } | {
      // This will never be '%other', but we need some
      // value in case none of the concrete values match.
      readonly __typename: "%other";
    }>;
  };
};
export type documentsRowChangesSubscription$rawResponse = {
  readonly rowChanges: {
    readonly cursor: string;
    readonly ops: ReadonlyArray<{
      readonly __typename: "RowInserted";
      readonly index: number;
      readonly row: {
        readonly __typename: "AssistantRow";
        readonly __isRow: "AssistantRow";
        readonly complete: boolean;
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly reasoning: string | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: "OutputRow";
        readonly __isRow: "OutputRow";
        readonly complete: boolean;
        readonly format: ArtifactFormat | null | undefined;
        readonly id: string | null | undefined;
        readonly name: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly status: BindingStatus;
        readonly type: string;
        readonly value: unknown | null | undefined;
      } | {
        readonly __typename: "ToolCallRow";
        readonly __isRow: "ToolCallRow";
        readonly id: string | null | undefined;
        readonly input: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly toolName: string;
        readonly type: string;
      } | {
        readonly __typename: "ToolResultRow";
        readonly __isRow: "ToolResultRow";
        readonly id: string | null | undefined;
        readonly output: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly type: string;
      } | {
        readonly __typename: "UserRow";
        readonly __isRow: "UserRow";
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: string;
        readonly __isRow: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      };
    } | {
      readonly __typename: "RowRemoved";
      readonly index: number;
    } | {
      readonly __typename: "RowReplaced";
      readonly index: number;
      readonly row: {
        readonly __typename: "AssistantRow";
        readonly __isRow: "AssistantRow";
        readonly complete: boolean;
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly reasoning: string | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: "OutputRow";
        readonly __isRow: "OutputRow";
        readonly complete: boolean;
        readonly format: ArtifactFormat | null | undefined;
        readonly id: string | null | undefined;
        readonly name: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly status: BindingStatus;
        readonly type: string;
        readonly value: unknown | null | undefined;
      } | {
        readonly __typename: "ToolCallRow";
        readonly __isRow: "ToolCallRow";
        readonly id: string | null | undefined;
        readonly input: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly toolName: string;
        readonly type: string;
      } | {
        readonly __typename: "ToolResultRow";
        readonly __isRow: "ToolResultRow";
        readonly id: string | null | undefined;
        readonly output: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly type: string;
      } | {
        readonly __typename: "UserRow";
        readonly __isRow: "UserRow";
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: string;
        readonly __isRow: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      };
    } | {
      readonly __typename: "RowTextAppended";
      readonly field: RowTextField;
      readonly index: number;
      readonly offset: number;
      readonly text: string;
    } | {
      readonly __typename: "RowsReset";
      readonly rows: ReadonlyArray<{
        readonly __typename: "AssistantRow";
        readonly __isRow: "AssistantRow";
        readonly complete: boolean;
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly reasoning: string | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: "OutputRow";
        readonly __isRow: "OutputRow";
        readonly complete: boolean;
        readonly format: ArtifactFormat | null | undefined;
        readonly id: string | null | undefined;
        readonly name: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly status: BindingStatus;
        readonly type: string;
        readonly value: unknown | null | undefined;
      } | {
        readonly __typename: "ToolCallRow";
        readonly __isRow: "ToolCallRow";
        readonly id: string | null | undefined;
        readonly input: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly toolName: string;
        readonly type: string;
      } | {
        readonly __typename: "ToolResultRow";
        readonly __isRow: "ToolResultRow";
        readonly id: string | null | undefined;
        readonly output: string;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly toolCallId: string;
        readonly type: string;
      } | {
        readonly __typename: "UserRow";
        readonly __isRow: "UserRow";
        readonly content: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      } | {
        readonly __typename: string;
        readonly __isRow: string;
        readonly id: string | null | undefined;
        readonly path: ReadonlyArray<string> | null | undefined;
        readonly type: string;
      }>;
    } | {
      readonly __typename: string;
    }>;
  };
};
export type documentsRowChangesSubscription = {
  rawResponse: documentsRowChangesSubscription$rawResponse;
  response: documentsRowChangesSubscription$data;
  variables: documentsRowChangesSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "after"
},
v1 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "id"
},
v2 = {
  "defaultValue": null,
  "kind": "LocalArgument",
  "name": "path"
},
v3 = [
  {
    "kind": "Variable",
    "name": "after",
    "variableName": "after"
  },
  {
    "kind": "Variable",
    "name": "conversationId",
    "variableName": "id"
  },
  {
    "kind": "Literal",
    "name": "minIntervalMs",
    "value": 100
  },
  {
    "kind": "Variable",
    "name": "path",
    "variableName": "path"
  }
],
v4 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "cursor",
  "storageKey": null
},
v5 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "__typename",
  "storageKey": null
},
v6 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "id",
  "storageKey": null
},
v7 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "type",
  "storageKey": null
},
v8 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "path",
  "storageKey": null
},
v9 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "content",
  "storageKey": null
},
v10 = {
  "kind": "InlineFragment",
  "selections": [
    (v9/*:: as any*/)
  ],
  "type": "UserRow",
  "abstractKey": null
},
v11 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "complete",
  "storageKey": null
},
v12 = {
  "kind": "InlineFragment",
  "selections": [
    (v9/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "reasoning",
      "storageKey": null
    },
    (v11/*:: as any*/)
  ],
  "type": "AssistantRow",
  "abstractKey": null
},
v13 = {
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
    (v11/*:: as any*/)
  ],
  "type": "OutputRow",
  "abstractKey": null
},
v14 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "toolCallId",
  "storageKey": null
},
v15 = {
  "kind": "InlineFragment",
  "selections": [
    (v14/*:: as any*/),
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
v16 = {
  "kind": "InlineFragment",
  "selections": [
    (v14/*:: as any*/),
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
v17 = [
  {
    "kind": "InlineDataFragmentSpread",
    "name": "documents_row",
    "selections": [
      (v5/*:: as any*/),
      (v6/*:: as any*/),
      (v7/*:: as any*/),
      (v8/*:: as any*/),
      (v10/*:: as any*/),
      (v12/*:: as any*/),
      (v13/*:: as any*/),
      (v15/*:: as any*/),
      (v16/*:: as any*/)
    ],
    "args": null,
    "argumentDefinitions": ([]/*:: as any*/)
  }
],
v18 = {
  "alias": null,
  "args": null,
  "kind": "ScalarField",
  "name": "index",
  "storageKey": null
},
v19 = [
  (v18/*:: as any*/),
  {
    "alias": null,
    "args": null,
    "concreteType": null,
    "kind": "LinkedField",
    "name": "row",
    "plural": false,
    "selections": (v17/*:: as any*/),
    "storageKey": null
  }
],
v20 = {
  "kind": "InlineFragment",
  "selections": [
    (v18/*:: as any*/)
  ],
  "type": "RowRemoved",
  "abstractKey": null
},
v21 = {
  "kind": "InlineFragment",
  "selections": [
    (v18/*:: as any*/),
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "field",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "offset",
      "storageKey": null
    },
    {
      "alias": null,
      "args": null,
      "kind": "ScalarField",
      "name": "text",
      "storageKey": null
    }
  ],
  "type": "RowTextAppended",
  "abstractKey": null
},
v22 = [
  (v5/*:: as any*/),
  {
    "kind": "TypeDiscriminator",
    "abstractKey": "__isRow"
  },
  (v6/*:: as any*/),
  (v7/*:: as any*/),
  (v8/*:: as any*/),
  (v10/*:: as any*/),
  (v12/*:: as any*/),
  (v13/*:: as any*/),
  (v15/*:: as any*/),
  (v16/*:: as any*/)
],
v23 = [
  (v18/*:: as any*/),
  {
    "alias": null,
    "args": null,
    "concreteType": null,
    "kind": "LinkedField",
    "name": "row",
    "plural": false,
    "selections": (v22/*:: as any*/),
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": [
      (v0/*:: as any*/),
      (v1/*:: as any*/),
      (v2/*:: as any*/)
    ],
    "kind": "Fragment",
    "metadata": null,
    "name": "documentsRowChangesSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "RowChanges",
        "kind": "LinkedField",
        "name": "rowChanges",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": null,
            "kind": "LinkedField",
            "name": "ops",
            "plural": true,
            "selections": [
              (v5/*:: as any*/),
              {
                "kind": "InlineFragment",
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": null,
                    "kind": "LinkedField",
                    "name": "rows",
                    "plural": true,
                    "selections": (v17/*:: as any*/),
                    "storageKey": null
                  }
                ],
                "type": "RowsReset",
                "abstractKey": null
              },
              {
                "kind": "InlineFragment",
                "selections": (v19/*:: as any*/),
                "type": "RowInserted",
                "abstractKey": null
              },
              {
                "kind": "InlineFragment",
                "selections": (v19/*:: as any*/),
                "type": "RowReplaced",
                "abstractKey": null
              },
              (v20/*:: as any*/),
              (v21/*:: as any*/)
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
    "argumentDefinitions": [
      (v1/*:: as any*/),
      (v2/*:: as any*/),
      (v0/*:: as any*/)
    ],
    "kind": "Operation",
    "name": "documentsRowChangesSubscription",
    "selections": [
      {
        "alias": null,
        "args": (v3/*:: as any*/),
        "concreteType": "RowChanges",
        "kind": "LinkedField",
        "name": "rowChanges",
        "plural": false,
        "selections": [
          (v4/*:: as any*/),
          {
            "alias": null,
            "args": null,
            "concreteType": null,
            "kind": "LinkedField",
            "name": "ops",
            "plural": true,
            "selections": [
              (v5/*:: as any*/),
              {
                "kind": "InlineFragment",
                "selections": [
                  {
                    "alias": null,
                    "args": null,
                    "concreteType": null,
                    "kind": "LinkedField",
                    "name": "rows",
                    "plural": true,
                    "selections": (v22/*:: as any*/),
                    "storageKey": null
                  }
                ],
                "type": "RowsReset",
                "abstractKey": null
              },
              {
                "kind": "InlineFragment",
                "selections": (v23/*:: as any*/),
                "type": "RowInserted",
                "abstractKey": null
              },
              {
                "kind": "InlineFragment",
                "selections": (v23/*:: as any*/),
                "type": "RowReplaced",
                "abstractKey": null
              },
              (v20/*:: as any*/),
              (v21/*:: as any*/)
            ],
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ]
  },
  "params": {
    "cacheID": "ac3eb011df893856bccb84b75e68f776",
    "id": null,
    "metadata": {},
    "name": "documentsRowChangesSubscription",
    "operationKind": "subscription",
    "text": "subscription documentsRowChangesSubscription(\n  $id: ID!\n  $path: [ID!]\n  $after: String\n) {\n  rowChanges(conversationId: $id, path: $path, after: $after, minIntervalMs: 100) {\n    cursor\n    ops {\n      __typename\n      ... on RowsReset {\n        rows {\n          __typename\n          ...documents_row\n          id\n        }\n      }\n      ... on RowInserted {\n        index\n        row {\n          __typename\n          ...documents_row\n          id\n        }\n      }\n      ... on RowReplaced {\n        index\n        row {\n          __typename\n          ...documents_row\n          id\n        }\n      }\n      ... on RowRemoved {\n        index\n      }\n      ... on RowTextAppended {\n        index\n        field\n        offset\n        text\n      }\n    }\n  }\n}\n\nfragment documents_row on Row {\n  __isRow: __typename\n  __typename\n  id\n  type\n  path\n  ... on UserRow {\n    content\n  }\n  ... on AssistantRow {\n    content\n    reasoning\n    complete\n  }\n  ... on OutputRow {\n    name\n    value\n    status\n    format\n    complete\n  }\n  ... on ToolCallRow {\n    toolCallId\n    toolName\n    input\n  }\n  ... on ToolResultRow {\n    toolCallId\n    output\n  }\n}\n"
  }
};
})();

(node as any).hash = "20e839f42d179c535dc217cabc693958";

export default node;
