// The whole entry of the core, so that one installed package is enough.
export * from "@sluice/core/redis";
