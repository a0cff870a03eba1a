// What does a table say of something that must be in it?

/** Throws a RangeError where it is not. */
export function known<K, V>(table: ReadonlyMap<K, V>, key: K): V {
  const value = table.get(key);
  if (value === undefined) throw new RangeError(`there is no ${key}`);
  return value;
}
