/// Limits that the contract leaves to us, so that no rule costs more than another.
extension RuleLimits {
    /// Entries of a condition's list, of which one must hold.
    package static let choices = 1...50
    /// Whom one action notifies.
    package static let recipients = 1...50
    /// Values of one `set`.
    package static let values = 1...50
    /// Levels of objects and lists in a rule, with its own.
    package static let depth = 32
    /// Bytes of the name of a thing, a zone or a field.
    package static let nameBytes = 200
    /// Characters of an action's name.
    package static let actionName = 1...200
    /// dBm that a beacon can be heard with.
    package static let rssi: ClosedRange<Int64> = -127...20
    /// Milliseconds since 1970 that ``RuleTrigger`` may name: the years 1970 to 9999.
    package static let time: ClosedRange<Int64> = 0...253_402_300_799_999
    /// Unknown members of a rule that are named; the others are only counted.
    package static let warnings = 20
    /// Bytes of a file of rules.
    package static let fileBytes = 8 << 20
}
