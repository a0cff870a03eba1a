// What is this program for? `npm start` shows it at work: on a node of its own, with real connections, for about a
// minute. Nothing of the host's network is touched; see demo/show.mjs for what is shown.
import { spawn, spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { PODS } from "./demo/pods.mjs";
import { enter, findWay } from "./demo/sandbox.mjs";
import { installPackages } from "./install/packages.mjs";
import { installTools, toolEnvironment } from "./install/tools.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));

process.chdir(root);
prepare();
const way = findWay();
if (way.kind === "none") renderInstead(way.reason);
else show(way.kind);

function prepare() {
  try {
    installPackages();
  } catch (error) {
    console.error(`error: ${error.message}`);
    process.exit(1);
  }
  installTools(["iptables", "iproute2"]);
  const { status } = spawnSync(process.execPath, ["scripts/build.mjs"], { stdio: "inherit" });
  if (status !== 0) process.exit(1);
}

/** @param {string} reason */
function renderInstead(reason) {
  console.log(`No network namespaces can be made here (${reason}),`);
  console.log(`so here is what the node's kernel would hold: fairlead render fixtures/demo --cluster-cidr ${PODS}\n`);
  const args = ["dist/main.js", "render", "fixtures/demo", "--cluster-cidr", PODS];
  process.exitCode = spawnSync(process.execPath, args, { stdio: "inherit" }).status ?? 1;
}

/** @param {"root" | "user-namespace"} kind */
function show(kind) {
  const [command, ...args] = enter(kind, [process.execPath, "scripts/demo/main.mjs", kind]);
  // The channel tells the other side when this process is gone, however it went.
  const demo = spawn(command, args, { env: toolEnvironment(), stdio: ["ignore", "inherit", "inherit", "ipc"] });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => demo.kill("SIGTERM"));
  demo.on("exit", (code) => {
    process.exitCode = code ?? 1;
  });
}
