import { Empty } from '../../parts/states.tsx';
import type { TablePageProps } from '../../shell/pages.ts';

export default function Page({ table }: TablePageProps) {
  return <Empty title={`Coming: ${table.TableName}`} />;
}
