import type { AddressInfo } from "node:net";
import { createApp } from "./app";

const server = createApp().listen(Number(process.env.PORT ?? 8080), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
