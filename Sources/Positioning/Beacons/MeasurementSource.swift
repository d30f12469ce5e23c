/// Where a level was measured.
///
/// A device hears everything with one antenna, and is heard with one power, so each source has one constant error of its
/// own.
package enum MeasurementSource: Sendable, Hashable, CaseIterable {
    /// The device hears a beacon.
    case device
    /// A receiver hears the device.
    case receivers
}

extension BeaconMap.Beacon {
    /// Who measures its level.
    package var source: MeasurementSource { receiver == nil ? .device : .receivers }
}

/// A value for each source of measurements.
package struct BySource<Value> {
    package var device: Value
    package var receivers: Value

    package init(_ device: Value, _ receivers: Value) { (self.device, self.receivers) = (device, receivers) }

    package subscript(source: MeasurementSource) -> Value {
        get {
            switch source {
            case .device: device
            case .receivers: receivers
            }
        }
        set {
            switch source {
            case .device: device = newValue
            case .receivers: receivers = newValue
            }
        }
    }

    package func map<Other>(_ change: (Value) -> Other) -> BySource<Other> {
        .init(change(device), change(receivers))
    }
}

extension BySource: Sendable where Value: Sendable {}
