import { describeAdapterConformance } from "@sluice/testing";
import Koa3 from "koa";
import Koa2 from "koa-2";
import { describe, it } from "vitest";
import { startKoa } from "./conformance/start-koa";

describeAdapterConformance(
  {
    name: "Koa 2",
    lacks: {
      "http2-head": "Koa 2 takes the response to HEAD for one that cannot be written to",
      "broken-streams": "Koa 2 leaves an answer open when its stream fails",
    },
    start: (scenario) => startKoa(Koa2, scenario),
  },
  { describe, it },
);

describeAdapterConformance(
  { name: "Koa 3", start: (scenario) => startKoa(Koa3, scenario) },
  { describe, it },
);
