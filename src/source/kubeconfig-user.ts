// As whom does a kubeconfig let us come?
import { InputError } from "../errors.ts";
import type { Authorization, ClientCertificate, Identity } from "./access.ts";
import { type KnownCluster, readExec } from "./kubeconfig-exec.ts";
import type { UserFields } from "./kubeconfig-fields.ts";
import { fileOf, readMaterial } from "./kubeconfig-material.ts";
import { enter, type Section } from "./section.ts";

/** The client certificate, undefined where there is none. Throws InputError when its key is missing. */
export function readCertificate(user: Section<UserFields>): ClientCertificate | undefined {
  const certificate = readMaterial(user, "client-certificate");
  const key = readMaterial(user, "client-key");
  if (certificate && !key) throw new InputError(enter(user.place, "client-key"), "is missing");
  return certificate && key && { certificate, key };
}

/**
 * Who we are beside the certificate. Throws InputError for more than one way to say so, and for ways that Kubernetes
 * gave up. A token, a token file, or a user and password go before a plugin; the file goes before the token.
 */
export async function readIdentity(user: Section<UserFields>, cluster: KnownCluster): Promise<Identity> {
  const { value, place } = user;
  const certificate = readCertificate(user);
  if (value["auth-provider"]) throw new InputError(enter(place, "auth-provider"), "is no longer supported, use exec");
  const given = readGiven(user);
  const plugin = value.exec ? await readExec(value.exec, user, cluster) : undefined;
  const authorization = given ?? (plugin ? { type: "plugin", plugin } : { type: "none" });
  return { authorization, ...(certificate && { certificate }), impersonation: readImpersonation(user) };
}

function readGiven({ value, place }: Section<UserFields>): Authorization | undefined {
  const { token, tokenFile, username, password } = value;
  const hasToken = token !== "" || tokenFile !== "";
  const hasBasic = username !== "" || password !== "";
  if (hasToken && hasBasic) throw new InputError(enter(place, "username"), "is given beside a token");
  if (tokenFile !== "") return { type: "token", token: fileOf(tokenFile, enter(place, "tokenFile")) };
  if (hasToken) return { type: "token", token: { type: "text", text: token, place: enter(place, "token") } };
  return hasBasic ? { type: "basic", username, password } : undefined;
}

function readImpersonation({ value, place }: Section<UserFields>): Identity["impersonation"] {
  const { as: user, "as-uid": uid, "as-groups": groups, "as-user-extra": extra } = value;
  const more = Object.entries(extra).map(([key, values]) => [`Impersonate-Extra-${encodeURIComponent(key)}`, values]);
  if (user === "" && (uid !== "" || groups.length > 0 || more.length > 0)) {
    throw new InputError(enter(place, "as"), "is missing beside as-uid, as-groups or as-user-extra");
  }
  return {
    ...(user !== "" && { "Impersonate-User": user }),
    ...(uid !== "" && { "Impersonate-Uid": uid }),
    ...(groups.length > 0 && { "Impersonate-Group": groups }),
    ...Object.fromEntries(more),
  };
}
