import type { AdapterCase } from "../adapter-case";
import { handlerErrorCases, policyErrorCases } from "./error-cases";
import { gateCases } from "./gate-cases";
import { exemptCases, handlingCases } from "./handling-cases";
import { admittedHeaderCases, waitCases } from "./header-cases";
import { closingCases, connectionCases, uploadCases } from "./http1-cases";
import { http2Cases } from "./http2-cases";
import { identityCases } from "./identity-cases";
import { leavingEarlyCases, leavingLateCases } from "./leaving-cases";
import { limiterCases } from "./limiter-cases";
import { mountingCases } from "./mounting-cases";
import { permitCases, refundWhenCases } from "./permit-cases";
import { gateRejectionCases, limitsRejectionCases } from "./rejection-cases";
import { rejectionErrorCases, thrownRejectionCases } from "./rejection-error-cases";

/** Everything that an adapter has to do, by what it is about. */
export const caseGroups: Readonly<Record<string, readonly AdapterCase[]>> = {
  headers: [...admittedHeaderCases, ...waitCases],
  rejections: [...limitsRejectionCases, ...gateRejectionCases, ...rejectionErrorCases],
  policies: policyErrorCases,
  addresses: identityCases,
  handlers: [...handlingCases, ...handlerErrorCases, ...thrownRejectionCases],
  "clients that leave": [...leavingEarlyCases, ...leavingLateCases],
  permits: [...permitCases, ...refundWhenCases],
  mounting: [...mountingCases, ...exemptCases],
  gate: gateCases,
  limiter: limiterCases,
  connections: [...connectionCases, ...uploadCases, ...closingCases],
  "HTTP/2": http2Cases,
};
