// Switches between a chart and a table with the same content.
import { ChartNoAxesColumn, Table2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface ChartTableSwitchProps {
  isTable: boolean;
  onSwitch(toTable: boolean): void;
  children: ReactNode;
}

export function ChartTableSwitch({ isTable, onSwitch, children }: ChartTableSwitchProps) {
  return (
    <Button size="small" variant="quiet" icon={isTable ? ChartNoAxesColumn : Table2} onClick={() => onSwitch(!isTable)}>
      {children}
    </Button>
  );
}
