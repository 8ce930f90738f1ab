import { Problems } from "../../options/problems";
import { AddressList } from "../client/address-list";
import type { ClientAddress } from "../client/client-address";
import type { HttpRequest } from "../client/http-request";
import { parseIpAddress } from "../client/ip-address";
import type { RequestTest } from "./unless";

/**
 * Whether a request is a CORS preflight: `OPTIONS` with `Origin` and
 * `Access-Control-Request-Method`. Browsers send it by themselves and show its refusal as an error
 * of the network.
 *
 * Any client can send such a request, so exempt it only where it is answered without work.
 */
export function isPreflight({ method, headers }: HttpRequest): boolean {
  return (
    method === "OPTIONS" &&
    headers.origin !== undefined &&
    headers["access-control-request-method"] !== undefined
  );
}

/**
 * Makes a test whether a request comes from one of some addresses: single ones, networks
 * (`10.0.0.0/8`) and the groups `"loopback"`, `"link-local"` and `"private"`. False if no address
 * is known, or a trusted proxy named the client by something that is no address.
 *
 * The addresses are those of clients: behind a proxy that is not trusted every request comes from
 * the proxy, so that a list with its address admits all.
 *
 * @throws InvalidOptionsError listing every problem.
 */
export function comesFrom(
  client: ClientAddress,
  addresses: readonly string[],
): RequestTest<HttpRequest> {
  const problems = new Problems("comesFrom arguments");
  const list = AddressList.read(addresses, "addresses", problems);
  if (typeof client?.find !== "function") {
    problems.add("client", "what clientAddress returns", client);
  }
  problems.throwIfAny();
  return (request) => {
    const { address, stoppedAt } = client.find(request);
    // The address is then that of a proxy, which on a list would let in all that it cannot name.
    if (stoppedAt === "unreadable" || stoppedAt === "bound") return false;
    const parsed = address === undefined ? undefined : parseIpAddress(address);
    return parsed !== undefined && list.has(parsed);
  };
}
