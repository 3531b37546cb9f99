/**
 * @generated SignedSource<<4e97c64f0ce67b9ffd11c46893168179>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type ChatStatus = "AWAITING_CLIENT_TOOL" | "CANCELLED" | "COMPLETED" | "FAILED" | "IDLE" | "PAUSED" | "STREAMING";
export type documentsChatSubscription$variables = {
  id: string;
};
export type documentsChatSubscription$data = {
  readonly chat: {
    readonly capabilities: {
      readonly canSend: boolean;
    };
    readonly pendingTools: ReadonlyArray<{
      readonly args: unknown | null | undefined;
      readonly toolCallId: string;
      readonly toolName: string;
    }>;
    readonly status: ChatStatus;
  };
};
export type documentsChatSubscription = {
  response: documentsChatSubscription$data;
  variables: documentsChatSubscription$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "id"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "conversationId",
        "variableName": "id"
      }
    ],
    "concreteType": "ChatSnapshot",
    "kind": "LinkedField",
    "name": "chat",
    "plural": false,
    "selections": [
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
        "concreteType": "Capabilities",
        "kind": "LinkedField",
        "name": "capabilities",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "canSend",
            "storageKey": null
          }
        ],
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "concreteType": "PendingToolCall",
        "kind": "LinkedField",
        "name": "pendingTools",
        "plural": true,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "toolCallId",
            "storageKey": null
          },
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
            "name": "args",
            "storageKey": null
          }
        ],
        "storageKey": null
      }
    ],
    "storageKey": null
  }
];
return {
  "fragment": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Fragment",
    "metadata": null,
    "name": "documentsChatSubscription",
    "selections": (v1/*:: as any*/),
    "type": "Subscription",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "documentsChatSubscription",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "c1814b94908a85caf43040b86b82ab26",
    "id": null,
    "metadata": {},
    "name": "documentsChatSubscription",
    "operationKind": "subscription",
    "text": "subscription documentsChatSubscription(\n  $id: ID!\n) {\n  chat(conversationId: $id) {\n    status\n    capabilities {\n      canSend\n    }\n    pendingTools {\n      toolCallId\n      toolName\n      args\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "01defedd38d244361e6ab8be43b41884";

export default node;
