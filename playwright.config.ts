// Configures the journeys: headless Chromium with the software WebGPU adapter. `npm test` sets CHROMIUM_PATH.
import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** With E2E_PORT a page that is already served on that port is used. */
const PORT = Number(process.env.E2E_PORT ?? 5199);
const executablePath =
  process.env.CHROMIUM_PATH ?? ['/usr/bin/chromium', '/usr/bin/google-chrome'].find((path) => existsSync(path));
const isRoot = process.getuid?.() === 0;

/** Features to disable. The list repeats those that Playwright disables, since only the last such flag counts. */
const OFF = [
  ...['AvoidUnnecessaryBeforeUnloadCheckSync', 'DestroyProfileOnBrowserClose', 'HttpsUpgrades', 'LensOverlay'],
  ...['HttpsFirstBalancedModeAutoEnable', 'MediaRouter', 'PaintHolding', 'ThirdPartyStoragePartitioning'],
  ...['AvoidCorsURLLoaderRestartOnRedirect', 'OptimizationHints', 'NetworkTimeServiceQuerying', 'AimEnabled'],
  'PreconnectToSearch',
  // These are two invisible pages behind the address bar, which cost each window 0.6 s of processor time.
  ...['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup'],
];

/** Programs of `npm run campaign`, which take minutes each and run only there. */
const CAMPAIGN = process.env.CAMPAIGN_ROWS ? [] : ['**/campaign/**'];

/** The longest files, which are begun first so that no worker is left alone with one at the end. */
const LONG = ['run', 'questions', 'axe', 'models', 'teacher', 'first', 'keep', 'security', 'share', 'quota'].map(
  (name) => `${name}.spec.ts`,
);

export default defineConfig({
  testDir: 'e2e',
  outputDir: 'test-results',
  // Two workers are used, since a journey waits as often as it computes. Each has its own browser context, worker and store.
  workers: 2,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  forbidOnly: Boolean(process.env.CI),
  use: {
    baseURL: `http://localhost:${PORT}/`,
    // A click that finds no element fails soon, and not at the end of a test that may last minutes.
    actionTimeout: 20_000,
    viewport: { width: 1280, height: 900 },
    screenshot: 'only-on-failure',
    // Only the second try is recorded, since a recording takes pictures all the time: four journeys took 126 s with it, 69 s without.
    trace: 'on-first-retry',
    launchOptions: {
      executablePath,
      // With this flag Chromium and its headless shell offer SwiftShader as a WebGPU adapter if there is no GPU.
      args: ['--enable-unsafe-webgpu', `--disable-features=${OFF.join()}`, ...(isRoot ? ['--no-sandbox'] : [])],
    },
  },
  projects: [
    { name: 'long', testMatch: LONG, use: { browserName: 'chromium' } },
    { name: 'chromium', testIgnore: [...LONG, ...CAMPAIGN], use: { browserName: 'chromium' } },
  ],
  webServer: {
    command: `node scripts/serve.mjs ${PORT}`,
    url: `http://localhost:${PORT}/`,
    timeout: 120_000,
    reuseExistingServer: process.env.E2E_PORT !== undefined,
  },
});
