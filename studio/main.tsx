import { render } from 'preact';
import { loadAbout } from './data/connection.ts';
import { watchLive } from './data/live.ts';
import { stagedChanges } from './data/staged.ts';
import { watchTables } from './data/tables.ts';
import { App } from './shell/app.tsx';
import { applyPreferences } from './shell/preferences.ts';

applyPreferences();
render(<App />, document.getElementById('app')!);
// A server that is away is asked again until it is back.
loadAbout().catch(() => {});
watchTables();
watchLive();
// Staged changes are in this page alone: the browser asks before it forgets them.
addEventListener('beforeunload', (event) => {
  if (stagedChanges.value.size > 0) event.preventDefault();
});
