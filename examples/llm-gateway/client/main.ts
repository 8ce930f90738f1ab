import { leaveWithParent } from "../process/leave-with-parent";
import { burst } from "./burst";
import { closedLoop } from "./closed-loop";
import { type Connection, openConnections } from "./connection";
import { sampleLiveness } from "./liveness";
import { openLoop } from "./open-loop";
import type { Order, Reply } from "./order";

let connections: Connection[] = [];

async function carryOut(order: Order): Promise<unknown> {
  switch (order.type) {
    case "open":
      connections = await openConnections(order.ports, order.connections);
      return undefined;
    case "burst":
      return burst(connections, order.shots);
    case "closed-loop":
      return closedLoop(connections, order.plan);
    case "open-loop":
      return openLoop(connections, order.plan);
    case "liveness":
      return sampleLiveness(connections[0] as Connection, order.plan);
    case "close":
      for (const connection of connections) connection.close();
      connections = [];
      return undefined;
  }
}

function say(reply: Reply): void {
  process.send?.(reply);
}

process.on("message", (order: Order) => {
  carryOut(order).then(
    (result) => say({ type: "done", result }),
    (error: Error) => say({ type: "failed", message: error.message }),
  );
});
leaveWithParent();
say({ type: "ready" });
