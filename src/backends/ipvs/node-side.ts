// What does the part of one ServicePort depend on beside itself?
import type { IpvsSettings } from "../../model/ipvs-settings.ts";
import type { Settings } from "../../model/settings.ts";
import type { Family } from "../../net/family.ts";

export interface NodeSide extends IpvsSettings {
  readonly family: Family;
  /** This node's own address of the family. */
  readonly nodeIP: string;
}

/** Throws a RangeError for settings of another mode: that is a fault of ours. */
export function nodeSideOf({ family, nodeIP, ipvs }: Settings): NodeSide {
  if (!ipvs) throw new RangeError("settings of another mode");
  return { family, nodeIP, ...ipvs };
}
