
      export interface PossibleTypesResultData {
        possibleTypes: {
          [key: string]: string[]
        }
      }
      const result: PossibleTypesResultData = {
  "possibleTypes": {
    "CompositeRow": [
      "FanOutRow",
      "RepeatRow",
      "SubagentRow"
    ],
    "FeedRow": [
      "AssistantRow",
      "FanOutRow",
      "OutputRow",
      "RepeatRow",
      "SubagentRow",
      "ToolCallRow",
      "ToolResultRow",
      "UserRow"
    ],
    "PathView": [
      "BlackBoxSubagentView",
      "NodeView",
      "OpenSubagentView"
    ],
    "Row": [
      "AssistantRow",
      "OutputRow",
      "ToolCallRow",
      "ToolResultRow",
      "UserRow"
    ],
    "RowOp": [
      "RowInserted",
      "RowRemoved",
      "RowReplaced",
      "RowTextAppended",
      "RowsReset"
    ],
    "SubagentView": [
      "BlackBoxSubagentView",
      "OpenSubagentView"
    ]
  }
};
      export default result;
    