import Text

/// Where a value stands in its file, such as `devices[0].managedProperties[2].control`.
indirect enum ValuePath: CustomStringConvertible {
    case top
    case member(ValuePath, String)
    case element(ValuePath, Int)

    /// For a message; the whole file is `the file`.
    var description: String {
        switch self {
        case .top: "the file"
        case .element(.top, let index): "[\(index)]"
        case .element(let list, let index): "\(list)[\(index)]"
        case .member(.top, let key): Self.isPlain(key) ? key : "[\(QuotedValue.of(key))]"
        case .member(let object, let key):
            Self.isPlain(key) ? "\(object).\(key)" : "\(object)[\(QuotedValue.of(key))]"
        }
    }

    private static func isPlain(_ key: String) -> Bool {
        !key.isEmpty && key.utf8.count <= 64
            && key.utf8.allSatisfy { $0.isASCIILetter || $0.isASCIIDigit || $0 == 0x5F || $0 == 0x2D }
    }
}

extension UInt8 {
    var isASCIILetter: Bool { (0x41...0x5A).contains(self) || (0x61...0x7A).contains(self) }
    var isASCIIDigit: Bool { (0x30...0x39).contains(self) }
}
