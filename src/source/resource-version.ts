// Which of two versions of one object is older?

const NUMBER = /^\d+$/;

/** True when the API says so: its versions are whole numbers of any length. Others cannot be compared and are never older. */
export function isOlder(version: string, than: string): boolean {
  if (!NUMBER.test(version) || !NUMBER.test(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}
