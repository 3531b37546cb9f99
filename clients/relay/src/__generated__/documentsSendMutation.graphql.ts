/**
 * @generated SignedSource<<273c9b2c996b9096bfa8410cbfe5d82e>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type SendInput = {
  agentId: string;
  agentVersion?: number | null | undefined;
  clientRequestId?: string | null | undefined;
  content: string;
  conversationId?: string | null | undefined;
};
export type documentsSendMutation$variables = {
  input: SendInput;
};
export type documentsSendMutation$data = {
  readonly send: {
    readonly conversation: {
      readonly id: string;
    };
    readonly fresh: boolean;
  };
};
export type documentsSendMutation = {
  response: documentsSendMutation$data;
  variables: documentsSendMutation$variables;
};

const node: ConcreteRequest = (function(){
var v0 = [
  {
    "defaultValue": null,
    "kind": "LocalArgument",
    "name": "input"
  }
],
v1 = [
  {
    "alias": null,
    "args": [
      {
        "kind": "Variable",
        "name": "input",
        "variableName": "input"
      }
    ],
    "concreteType": "SendPayload",
    "kind": "LinkedField",
    "name": "send",
    "plural": false,
    "selections": [
      {
        "alias": null,
        "args": null,
        "kind": "ScalarField",
        "name": "fresh",
        "storageKey": null
      },
      {
        "alias": null,
        "args": null,
        "concreteType": "Conversation",
        "kind": "LinkedField",
        "name": "conversation",
        "plural": false,
        "selections": [
          {
            "alias": null,
            "args": null,
            "kind": "ScalarField",
            "name": "id",
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
    "name": "documentsSendMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "documentsSendMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "35f32703ae2e5ed0c5c392653515cc09",
    "id": null,
    "metadata": {},
    "name": "documentsSendMutation",
    "operationKind": "mutation",
    "text": "mutation documentsSendMutation(\n  $input: SendInput!\n) {\n  send(input: $input) {\n    fresh\n    conversation {\n      id\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "e1aa3e2aa8f52e47c1d0cec81f7fb018";

export default node;
