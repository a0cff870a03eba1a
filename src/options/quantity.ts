// Converts Kubernetes quantities of bytes to their canonical text.
import { InputError } from "../errors.ts";

const BINARY = ["", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"];
const DECIMAL = ["", "k", "M", "G", "T", "P", "E"];

const SHAPE = /^([-+]?)(\d+)(?:\.(\d*))?([A-Za-z]{0,2})$/;

/**
 * Returns `1Mi` for `1024Ki` and `1k` for `1000`, like `resource.Quantity` in apimachinery. Fractions of a byte are
 * rounded up. Throws InputError for an invalid quantity.
 */
export function canonicalQuantity(text: string): string {
  const [, sign, whole = "", decimals = "", suffix = ""] = SHAPE.exec(text) ?? [];
  const scale = scaleOf(suffix);
  if (whole === "" || scale === undefined) {
    throw new InputError(
      {},
      "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
    );
  }
  const parts = 10n ** BigInt(decimals.length);
  const bytes = (BigInt(whole + decimals) * scale.base ** BigInt(scale.power) + parts - 1n) / parts;
  return `${sign === "-" && bytes > 0n ? "-" : ""}${print(bytes, scale.base)}`;
}

function scaleOf(suffix: string): { readonly base: bigint; readonly power: number } | undefined {
  const decimal = DECIMAL.indexOf(suffix);
  if (decimal >= 0) return { base: 1000n, power: decimal };
  const binary = BINARY.indexOf(suffix);
  return binary < 0 ? undefined : { base: 1024n, power: binary };
}

// Values below 1024 bytes use decimal suffixes, whichever suffix the input has.
function print(bytes: bigint, written: bigint): string {
  const base = bytes < 1024n ? 1000n : written;
  const suffixes = base === 1024n ? BINARY : DECIMAL;
  let value = bytes;
  let power = 0;
  while (value !== 0n && value % base === 0n && power < suffixes.length - 1) {
    value /= base;
    power += 1;
  }
  return `${value}${suffixes[power]}`;
}
