// npm's oidc-provider on a port of this machine, which signs everyone in without a question: each
// page of it sends its form by itself. `node oidc_provider.mjs PORT RESOURCE`; it says "ready".
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { delimiter, join } from "node:path";

// npx puts the package beside the programs that it adds to the path.
const bin = process.env.PATH.split(delimiter).find((one) => one.includes("_npx"));
const { Provider } = createRequire(join(bin, "..", "x.js"))("oidc-provider");

const [port, resource] = process.argv.slice(2);
const issuer = `http://127.0.0.1:${port}`;
const scope = "demo:read demo:call";
const provider = new Provider(issuer, {
  scopes: ["openid", "offline_access", ...scope.split(" ")],
  cookies: { keys: ["only for tests"] },
  features: {
    devInteractions: { enabled: false },
    registration: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      useGrantedResource: () => true,
      getResourceServerInfo: () => ({ scope, audience: resource, accessTokenTTL: 60 }),
    },
  },
  interactions: { url: (_ctx, interaction) => `/interaction/${interaction.uid}` },
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
});

async function consented({ prompt, params, session, grantId }) {
  const { Grant } = provider;
  const grant = grantId
    ? await Grant.find(grantId)
    : new Grant({ accountId: session.accountId, clientId: params.client_id });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(" "));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [indicator, scopes] of Object.entries(missingResourceScopes ?? {})) {
    grant.addResourceScope(indicator, scopes.join(" "));
  }
  return { consent: { grantId: await grant.save() } };
}

async function interaction(request, response) {
  const details = await provider.interactionDetails(request, response);
  if (request.method === "GET") {
    response.setHeader("content-type", "text/html");
    response.end(`<form method="post"></form><script>document.forms[0].submit()</script>`);
    return;
  }
  const isLogin = details.prompt.name === "login";
  const result = isLogin ? { login: { accountId: "someone" } } : await consented(details);
  await provider.interactionFinished(request, response, result);
}

const serve = provider.callback();
createServer(async (request, response) => {
  try {
    if (request.url.startsWith("/interaction/")) {
      await interaction(request, response);
    } else if (request.url.startsWith("/check/")) {
      const token = await provider.AccessToken.find(request.url.slice("/check/".length));
      const isGood = token !== undefined && [token.aud].flat().includes(resource);
      response.end(JSON.stringify(isGood ? (token.scope ?? "") : null));
    } else {
      serve(request, response);
    }
  } catch (problem) {
    console.error(problem);
    response.statusCode = 500;
    response.end();
  }
}).listen(Number(port), "127.0.0.1", () => console.log("ready"));
process.stdin.on("end", () => process.exit(0)).resume();
