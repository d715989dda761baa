// An error boundary for parts of a screen, with retry.

import { Component, type ReactNode } from 'react';
import { ErrorState } from '../ui/states.tsx';

interface Props {
  children: ReactNode;
}

/** Error boundaries must be classes. */
export class PartBoundary extends Component<Props, { error: unknown }> {
  override state: { error: unknown } = { error: null };

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === null) return this.props.children;
    return <ErrorState error={this.state.error} onRetry={() => this.setState({ error: null })} />;
  }
}
