import type { AddressInfo } from "node:net";
import { createExampleServer } from "./server";

const server = createExampleServer();
server.listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
