import { useState } from 'preact/hooks';
import { errorText } from '../../data/api.ts';
import { refreshTables, tableNames } from '../../data/tables.ts';
import { Button, Menu } from '../../parts/buttons.tsx';
import { go } from '../../shell/router.ts';
import { toast } from '../../shell/toast.ts';

/** Starts one of the examples: its table is created, filled and opened. */
export function ExampleButtons({ small = false }: { readonly small?: boolean }) {
  const [starting, setStarting] = useState(false);
  const start = async (name: string) => {
    setStarting(true);
    try {
      const { startExample, playExample } = await import('./examples.ts');
      const table = await startExample(name);
      await refreshTables();
      const isPlaying = playExample(name);
      go(table, isPlaying ? 'partitions' : 'items');
      if (isPlaying)
        toast('One depot writes its scans under one key for twenty seconds: watch its partition');
    } catch (error) {
      toast(errorText(error), { kind: 'red' });
    } finally {
      setStarting(false);
    }
  };
  const names = tableNames.value ?? [];
  const entries = [
    { name: 'orders', label: 'Orders: customers, orders and lines in one table' },
    { name: 'parcels', label: 'Parcels: tracking, and a morning rush at one depot' },
  ].filter(({ name }) => !names.includes(name));
  if (small)
    return entries.length === 0 ? null : (
      <Menu
        label="Start an example"
        text="Start an example"
        icon="play"
        entries={entries.map(({ name, label }) => ({ label, run: () => void start(name) }))}
      />
    );
  return (
    <>
      <Button kind="primary" icon="play" disabled={starting} onClick={() => void start('orders')}>
        {starting ? 'Starting…' : 'Start the orders example'}
      </Button>
      <Button icon="play" disabled={starting} onClick={() => void start('parcels')}>
        Parcels, with a hot key
      </Button>
    </>
  );
}
