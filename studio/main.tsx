import { render } from 'preact';
import { loadAbout } from './data/connection.ts';
import { watchLive } from './data/live.ts';
import { watchTables } from './data/tables.ts';
import { App } from './shell/app.tsx';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
render(<App />, document.getElementById('app')!);
// A server that is away is asked again until it is back.
loadAbout().catch(() => {});
watchTables();
watchLive();
