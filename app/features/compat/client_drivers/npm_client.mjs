// Runs one client of npm: `npm_client.mjs FOLDER PACKAGE`; FOLDER has the node_modules.
// What is read and what is printed: see the docstring of this package.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

const [folder, name] = process.argv.slice(2);
const require = createRequire(join(folder, "node_modules", "at.js"));

async function tried(step, timeout) {
  let timer;
  const late = new Promise((_, fail) => {
    timer = setTimeout(() => fail(new Error("timeout")), timeout);
  });
  try {
    await Promise.race([step(), late]);
    return "";
  } catch (problem) {
    const words = String(problem?.message ?? problem);
    return words === "timeout" ? words : `${problem?.name ?? "Error"}: ${words}`.slice(0, 2000);
  } finally {
    clearTimeout(timer);
  }
}

function modelcontextprotocol(Client, StdioClientTransport, [command, ...args]) {
  const client = new Client({ name: "signoff-compat", version: "1" });
  return {
    connect: () => client.connect(new StdioClientTransport({ command, args, stderr: "ignore" })),
    list: async () => (await client.listTools()).tools.map((tool) => tool.name),
    call: (call) => client.callTool({ name: call.name, arguments: call.arguments }),
    close: () => client.close(),
  };
}

function opened(line) {
  const [command, ...args] = line;
  if (name === "@modelcontextprotocol/sdk") {
    const { Client } = require(`${name}/client/index.js`);
    const { StdioClientTransport } = require(`${name}/client/stdio.js`);
    return modelcontextprotocol(Client, StdioClientTransport, line);
  }
  if (name === "@modelcontextprotocol/client") {
    const { Client } = require(name);
    const { StdioClientTransport } = require(`${name}/stdio`);
    return modelcontextprotocol(Client, StdioClientTransport, line);
  }
  const { createMCPClient, experimental_createMCPClient } = require(name);
  const stdio = require(`${name}/mcp-stdio`);
  const Transport = stdio.StdioClientTransport ?? stdio.Experimental_StdioMCPTransport;
  let client;
  let tools = {};
  return {
    connect: async () => {
      const transport = new Transport({ command, args, stderr: "ignore" });
      client = await (createMCPClient ?? experimental_createMCPClient)({ transport });
    },
    list: async () => {
      tools = await client.tools();
      return Object.keys(tools);
    },
    call: (call) =>
      tools[call.name].execute(call.arguments, { toolCallId: "1", messages: [] }),
    close: () => client?.close(),
  };
}

async function driven(given) {
  const report = { connect: null, list: null, tools: [], calls: given.calls.map(() => null) };
  const timeout = given.seconds * 1000;
  const client = opened(given.command);
  report.connect = await tried(client.connect, timeout);
  if (!report.connect) {
    report.list = await tried(async () => {
      report.tools = await client.list();
    }, timeout);
    for (const [index, call] of given.calls.entries()) {
      // The AI SDK calls what it has listed.
      if (!(name === "@ai-sdk/mcp" && report.list)) {
        report.calls[index] = await tried(() => client.call(call), timeout);
      }
    }
  }
  const closed = Promise.resolve(client.close()).catch(() => 0);
  await Promise.race([closed, new Promise((done) => setTimeout(done, 1000))]);
  return report;
}

process.on("unhandledRejection", () => 0);
for (const given of JSON.parse(readFileSync(0, "utf-8").split("\n")[0])) {
  process.stdout.write(`signoff-client-report ${JSON.stringify(await driven(given))}\n`);
}
process.exit(0);
