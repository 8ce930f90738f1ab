declare module "koa-2" {
  export { default } from "koa";
}
