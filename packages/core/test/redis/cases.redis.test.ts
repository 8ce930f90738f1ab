import { serveTests } from "./given-time/serve-tests";

// The field failures of all stores, on a server: the same tests as on memory.
serveTests(0.1);
await import("../cases/window-arithmetic.test");
await import("../cases/clock.test");
await import("../cases/concurrency-leak.test");
await import("../cases/double-release.test");
await import("../cases/late-refund.test");
await import("../cases/priority-pools.test");
