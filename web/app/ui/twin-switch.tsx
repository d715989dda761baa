// Switches a card between its chart and a table with the same content.
import { ChartNoAxesColumn, Table2 } from 'lucide-react';
import type { ReactNode } from 'react';
import { Button } from './button.tsx';

interface TwinSwitchProps {
  isTable: boolean;
  onSwitch(toTable: boolean): void;
  /** Label of the other view. */
  children: ReactNode;
}

export function TwinSwitch({ isTable, onSwitch, children }: TwinSwitchProps) {
  return (
    <Button size="small" variant="quiet" icon={isTable ? ChartNoAxesColumn : Table2} onClick={() => onSwitch(!isTable)}>
      {children}
    </Button>
  );
}
