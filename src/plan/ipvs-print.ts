// How do the steps of IPVS mode read?
import { hostPort } from "../net/address.ts";
import type { ServerChange, ServerSettings } from "../state/server-change.ts";
import type { SetChange } from "../state/set-change.ts";
import { printIdentity, type RealServer, type ServerIdentity } from "../state/virtual-server.ts";
import type { IpvsStep } from "./plan.ts";

/** One line for each thing, as `printPlan` has them. */
export function* printIpvsStep(step: IpvsStep): Iterable<string> {
  switch (step.kind) {
    case "device":
      yield `+ interface ${step.name}`;
      break;
    case "remove-device":
      yield `- interface ${step.name}`;
      break;
    case "sets":
      for (const change of step.changes) yield* printSetChange(change);
      break;
    case "servers":
      for (const change of step.changes) yield printServerChange(change);
      break;
    case "retire":
      for (const { server, real } of step.reals) yield `- ${printReal(server, real)} once it has no connection`;
      break;
    case "bind":
    case "unbind":
      for (const address of step.addresses) yield `${step.kind === "bind" ? "+" : "-"} ${step.device} ${address}`;
  }
}

function* printSetChange(change: SetChange): Iterable<string> {
  switch (change.kind) {
    case "create":
      yield `+ ipset ${change.set.name} ${change.set.type}`;
      break;
    case "destroy":
      yield `- ipset ${change.name}`;
      break;
    case "swap":
      yield `+ ipset ${change.name} is ${change.other}, and the other way round`;
      break;
    default:
      for (const entry of change.entries)
        yield `${change.kind === "add" ? "+" : "-"} ipset ${change.set.name} ${entry}`;
  }
}

function printServerChange(change: ServerChange): string {
  switch (change.kind) {
    case "add-server":
    case "set-server":
      return `+ ipvs ${printIdentity(change.server)} ${settingsText(change.server)}`;
    case "remove-server":
      return `- ipvs ${printIdentity(change.server)}`;
    case "add-real":
    case "set-real":
      return `+ ${printReal(change.server, change.real)} weight ${change.real.weight}`;
    case "remove-real":
      return `- ${printReal(change.server, change.real)}`;
  }
}

function settingsText({ scheduler, persistence }: ServerSettings): string {
  return persistence === 0 ? scheduler : `${scheduler} persistent ${persistence}`;
}

function printReal(server: ServerIdentity, { address, port }: Pick<RealServer, "address" | "port">): string {
  return `ipvs ${printIdentity(server)} to ${hostPort(address, port)}`;
}
