import { serveAsChild } from "../process/serve-as-child";
import { createGatewayServer } from "./gateway-server";
import { readSettings } from "./gateway-settings";

const settings = readSettings(process.argv[2]);
serveAsChild(createGatewayServer(settings), settings.port);
