/** The adapters that the gateway can be mounted through, in the order of the table. */
export const adapterNames = ["node", "express", "koa", "fastify"] as const;

/** One of them. `node` is for node:http without a framework. */
export type AdapterName = (typeof adapterNames)[number];
