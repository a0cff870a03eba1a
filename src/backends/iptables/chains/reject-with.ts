// With what answer is a packet refused?
import type { Family } from "../../../net/family.ts";
import type { Words } from "../../words.ts";

/** The word that a REJECT rule has and a DROP rule has not. */
export function rejectWith(verdict: "reject" | "drop", family: Family): Words {
  if (verdict === "drop") return {};
  return { reject: family === "IPv4" ? "icmp-port-unreachable" : "icmp6-port-unreachable" };
}
