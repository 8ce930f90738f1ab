import { describeAdapterConformance } from "@sluice/testing";
import { describe, it } from "vitest";
import { startNode } from "./conformance/start-node";

describeAdapterConformance(
  {
    name: "node",
    lacks: {
      "error-status": "an error of a handler is a plain 500 whatever it carries",
      "headers-of-errors": "a plain 500 carries nothing of what the handler had prepared",
    },
    start: startNode,
  },
  { describe, it },
);
