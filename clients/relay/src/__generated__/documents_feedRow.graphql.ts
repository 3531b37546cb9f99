/**
 * @generated SignedSource<<888228bc91b947836e14b172ac518e78>>
 * @lightSyntaxTransform
 */

/* tslint:disable */
/* eslint-disable */
// @ts-nocheck

import type { ReaderInlineDataFragment } from 'relay-runtime';
export type BranchStatus = "DONE" | "FAILED" | "RUNNING" | "UNKNOWN";
export type NodeRunStatus = "CANCELLED" | "COMPLETED" | "FAILED" | "RUNNING";
export type RepeatMode = "PARALLEL" | "SEQUENTIAL";
import type { FragmentRefs } from "relay-runtime";
export type documents_feedRow$data = {
  readonly __typename: string;
  readonly branchStatus?: ReadonlyArray<BranchStatus> | null | undefined;
  readonly done?: number;
  readonly doneCount?: number | null | undefined;
  readonly failedCount?: number | null | undefined;
  readonly hasEarlier?: boolean;
  readonly id?: string | null | undefined;
  readonly item: {
    readonly " $fragmentSpreads": FragmentRefs<"documents_row">;
  } | null | undefined;
  readonly key?: string;
  readonly mode?: RepeatMode;
  readonly nodeName?: string | null | undefined;
  readonly nodeStatus?: NodeRunStatus | null | undefined;
  readonly runningCount?: number | null | undefined;
  readonly total?: number | null | undefined;
  readonly type?: string;
  readonly " $fragmentType": "documents_feedRow";
};
export type documents_feedRow$key = {
  readonly " $data"?: documents_feedRow$data;
  readonly " $fragmentSpreads": FragmentRefs<"documents_feedRow">;
};

const node: ReaderInlineDataFragment = {
  "kind": "InlineDataFragment",
  "name": "documents_feedRow"
};

(node as any).hash = "2fc416bd5a8d9b2d96887f7fd8ebb92f";

export default node;
