// Is the platform spelled as the labels of nodes spell it?
import t from "tap";
import { platformOf } from "../../src/serve/metrics-release.ts";

for (const [arch, platform] of [
  ["x64", "linux/amd64"],
  ["arm64", "linux/arm64"],
] as const) {
  t.equal(platformOf("linux", arch), platform);
}
