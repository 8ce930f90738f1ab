import { createApp } from "./app";

const app = await createApp();
console.log(await app.listen({ port: Number(process.env.PORT ?? 8080), host: "127.0.0.1" }));
