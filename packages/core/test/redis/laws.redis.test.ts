import { serveTests } from "./given-time/serve-tests";

// The laws of all stores, on a server: the same properties as on memory, with fewer runs.
serveTests(0.05);
await import("../laws/all-or-nothing.property.test");
await import("../laws/clock-step.property.test");
await import("../laws/cost.property.test");
await import("../laws/exact-wait.property.test");
await import("../laws/guarantees.property.test");
await import("../laws/order-independence.property.test");
await import("../laws/outage-slots.property.test");
await import("../laws/outage.property.test");
await import("../laws/pools.property.test");
await import("../laws/rejection-costs-nothing.property.test");
await import("../laws/settle-once.property.test");
await import("../laws/shadow.property.test");
await import("../laws/slots.property.test");
await import("../limiter.model.test");
