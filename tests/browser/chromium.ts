import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type BrowserContext, chromium as playwright } from 'playwright-core';
import { newDirectory } from '../storage/directories.ts';

/** Where systems put Chromium and Chrome; STATOR_TEST_CHROMIUM names another place. */
const usualPaths = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome-stable',
  '/usr/bin/google-chrome',
  '/snap/bin/chromium',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Finds a browser among some paths. Where there is none, CI fails: what lands was tested in one. */
export function findChromium(
  paths: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const all = [environment.STATOR_TEST_CHROMIUM ?? '', ...paths].filter((path) => path !== '');
  const found = all.find((path) => existsSync(path));
  if (found !== undefined) return found;
  const missing = `No Chromium was found at ${all.join(', ')} (apt-get install chromium, or name one in STATOR_TEST_CHROMIUM)`;
  if (environment.CI === 'true') throw new Error(`${missing}.`);
  console.info(`${missing}: tests in a browser are skipped.`);
  return undefined;
}

/** The browser that tests use; undefined on a machine without one. */
export const chromiumPath = findChromium(usualPaths, process.env);

export interface Browser {
  readonly context: BrowserContext;
  close(): Promise<void>;
}

/**
 * Starts the browser with nothing of an earlier run. Every name below `.example` leads to this machine, so that a test
 * can have pages of foreign origins.
 */
export async function startChromium(): Promise<Browser> {
  const userData = await newDirectory();
  const context = await playwright.launchPersistentContext(userData, {
    executablePath: chromiumPath!,
    headless: true,
    // Some containers have no user but root, for whom the sandbox does not start.
    chromiumSandbox: process.getuid?.() !== 0,
    args: [
      ...['--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
      ...['--disable-component-update', '--disable-sync', '--disable-dev-shm-usage', '--no-proxy-server'],
      '--host-resolver-rules=MAP *.example 127.0.0.1',
      // Newer versions ask the user before a page may call this machine. Here it is the server that has to refuse.
      '--disable-features=LocalNetworkAccessChecks,BlockInsecurePrivateNetworkRequests,PrivateNetworkAccessSendPreflights',
    ],
  });
  return {
    context,
    close: async () => {
      await context.close();
      await rm(userData, { recursive: true, force: true });
    },
  };
}
