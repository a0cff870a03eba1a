// What does nf_tables tell a process that may not administer networks? Prints it as JSON.
import { deleteTable, familiesOfTable } from "../../src/kernel/nft-tables.ts";

const words = (error: Error) => error.message;
const find = await familiesOfTable("kube-proxy").catch(words);
const remove = await deleteTable("IPv4", "kube-proxy").catch(words);
console.log(JSON.stringify({ find, remove }));
