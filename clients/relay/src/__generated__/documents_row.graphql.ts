/**
 * @generated SignedSource<<3b494558a0588c64c7aad7027bc65b91>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderInlineDataFragment } from 'relay-runtime';
export type ArtifactFormat = "CODE" | "HTML" | "LIST" | "MARKDOWN" | "TEXT";
export type BindingStatus = "BUILDING" | "FINAL";
import type { FragmentRefs } from "relay-runtime";
export type documents_row$data = {
  readonly __typename: string;
  readonly complete?: boolean;
  readonly content?: string;
  readonly format?: ArtifactFormat | null | undefined;
  readonly id: string | null | undefined;
  readonly input?: string;
  readonly name?: string;
  readonly output?: string;
  readonly path: ReadonlyArray<string> | null | undefined;
  readonly reasoning?: string | null | undefined;
  readonly status?: BindingStatus;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly type: string;
  readonly value?: unknown | null | undefined;
  readonly " $fragmentType": "documents_row";
};
export type documents_row$key = {
  readonly " $data"?: documents_row$data;
  readonly " $fragmentSpreads": FragmentRefs<"documents_row">;
};

const node: ReaderInlineDataFragment = {
  "kind": "InlineDataFragment",
  "name": "documents_row"
};

(node as any).hash = "b76fe7c6762d3534ae7a5918b2e444e7";

export default node;
