/// Values that a running node exchanges at a reload.
///
/// Who names them sees to it that they are exchanged: a capability is built again when its `inputs` have changed, and
/// everybody else is handed the configuration by the daemon's `NodeReloader`.
package struct ExchangeableValues: Sendable {
    /// Sets them to their defaults.
    package let reset: @Sendable (inout TrilateralConfiguration) -> Void

    /// - Parameter values: Of a whole section, or one of them.
    package init<Values>(_ values: any WritableKeyPath<TrilateralConfiguration, Values> & Sendable) {
        reset = { $0[keyPath: values] = TrilateralConfiguration()[keyPath: values] }
    }
}
