// How does a kernel test say, before anything else is loaded, that it wants to run in a sandbox? By importing this.
import { enterSandbox } from "./sandbox.js";
enterSandbox();
