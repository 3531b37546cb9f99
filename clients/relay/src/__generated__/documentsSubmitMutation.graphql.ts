/**
 * @generated SignedSource<<637884d32cef37f2c9d6a23e5d821c0b>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ConcreteRequest } from 'relay-runtime';
export type ToolResultInput = {
  conversationId: string;
  output: unknown;
  toolCallId: string;
};
export type documentsSubmitMutation$variables = {
  input: ToolResultInput;
};
export type documentsSubmitMutation$data = {
  readonly submitToolResult: {
    readonly conversation: {
      readonly id: string;
    };
  };
};
export type documentsSubmitMutation = {
  response: documentsSubmitMutation$data;
  variables: documentsSubmitMutation$variables;
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
    "concreteType": "ConversationPayload",
    "kind": "LinkedField",
    "name": "submitToolResult",
    "plural": false,
    "selections": [
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
    "name": "documentsSubmitMutation",
    "selections": (v1/*:: as any*/),
    "type": "Mutation",
    "abstractKey": null
  },
  "kind": "Request",
  "operation": {
    "argumentDefinitions": (v0/*:: as any*/),
    "kind": "Operation",
    "name": "documentsSubmitMutation",
    "selections": (v1/*:: as any*/)
  },
  "params": {
    "cacheID": "4c438cc8f21ee172d1b7683582d07687",
    "id": null,
    "metadata": {},
    "name": "documentsSubmitMutation",
    "operationKind": "mutation",
    "text": "mutation documentsSubmitMutation(\n  $input: ToolResultInput!\n) {\n  submitToolResult(input: $input) {\n    conversation {\n      id\n    }\n  }\n}\n"
  }
};
})();

(node as any).hash = "2dca0726e7cce7293139eadd4ccd98f2";

export default node;
