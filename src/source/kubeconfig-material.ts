// Where does a kubeconfig keep a certificate or a key: in itself or in a file?
import { dirname, resolve } from "node:path";
import { InputError, type Place } from "../errors.ts";
import type { Material } from "./access.ts";
import { enter, type Section } from "./section.ts";

/**
 * The text of the field `NAME-data`, or the file that the field `NAME` names. Undefined where both are empty. Throws
 * InputError where both are given, as client-go does, and for what is no base64.
 */
export function readMaterial<K extends string>(
  { value, place }: Section<Readonly<Record<K | `${K}-data`, string>>>,
  name: K,
): Material | undefined {
  const path: string = value[name];
  const data: string = value[`${name}-data`];
  if (path !== "" && data !== "") throw new InputError(enter(place, name), `is given beside ${name}-data`);
  if (data !== "") return decode(data, enter(place, `${name}-data`));
  return path === "" ? undefined : fileOf(path, enter(place, name));
}

/** A path in a kubeconfig is seen from the folder of that file. */
export function fileOf(path: string, place: Place): Material {
  return { type: "file", path: fromKubeconfig(path, place), place };
}

export function fromKubeconfig(path: string, { source = "" }: Place): string {
  return resolve(dirname(source), path);
}

function decode(data: string, place: Place): Material {
  const packed = data.replace(/[\r\n]/g, "");
  const decoded = Buffer.from(packed, "base64");
  if (decoded.toString("base64") !== packed) throw new InputError(place, "is no base64");
  return { type: "text", text: decoded.toString("latin1"), place };
}
