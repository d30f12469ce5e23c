/// The structures inside the payload of an advertising packet.
///
/// Order is free and a type may come several times. A length of 0 ends the data early. A structure that runs
/// past the end is dropped with all that follows; what stood before it counts.
/// - Source: Bluetooth Core Specification, Supplement, part A.
package struct AdvertisingData: Sendable, Hashable {
    package struct Structure: Sendable, Hashable {
        package let type: UInt8
        package let data: ArraySlice<UInt8>
    }

    package enum Kind {
        package static let flags: UInt8 = 0x01
        package static let serviceData16: UInt8 = 0x16
        package static let manufacturer: UInt8 = 0xFF
    }

    package private(set) var structures: [Structure] = []
    /// Whether a structure ran past the end.
    package private(set) var isDamaged = false

    package init(parsing payload: [UInt8]) {
        var cursor = ByteCursor(payload)
        while let length = cursor.byte(), length > 0 {
            guard var body = cursor.take(Int(length)), let type = body.popFirst() else {
                isDamaged = true
                return
            }
            structures.append(Structure(type: type, data: body))
        }
    }
}
