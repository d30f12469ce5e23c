import JSON

/// A Socket.IO packet: the text of an Engine.IO message, with its JSON unparsed.
///
/// `TYPE[ATTACHMENTS-][NAMESPACE,][ID][JSON]`
/// - Source: contrib/contract/flare-protocol.md, "3.2 Packets"; Socket.IO protocol, revisions 3 to 5.
package struct SocketPacket: Sendable, Hashable {
    /// In their order on the wire: `0` to `6`.
    package enum Kind: UInt8, Sendable, CaseIterable {
        case connect, disconnect, event, ack, error, binaryEvent, binaryAck

        var isBinary: Bool { self == .binaryEvent || self == .binaryAck }
    }

    /// Protects against abuse; real namespaces are short names.
    static let maximumNamespaceBytes = 1024

    package var kind: Kind
    /// With its leading slash; a client may append a query.
    package var namespace: String
    /// The id for an acknowledgement.
    package var id: Int?
    /// How many binary messages belonging to this packet follow; 0 unless the kind is binary.
    package var attachments: Int
    /// Unparsed UTF-8; may be empty.
    package var json: [UInt8]

    /// - Parameters:
    ///   - namespace: Begins with a slash and has no comma.
    ///   - json: A list, an object or a text; a leading digit or slash would be read as id or namespace.
    package init(
        _ kind: Kind,
        namespace: String = "/",
        id: Int? = nil,
        attachments: Int = 0,
        json: [UInt8] = []
    ) {
        self.kind = kind
        self.namespace = namespace
        self.id = id
        self.attachments = attachments
        self.json = json
    }

    /// Parses the text of an Engine.IO message after its leading 4.
    package init(parsing text: some Sequence<UInt8>) throws(EngineError) {
        var rest = Array(text)[...]
        let type = rest.popFirst()
        guard let type, let kind = Kind(rawValue: type &- UInt8(ascii: "0")) else {
            throw .unknownSocketPacketType(type)
        }
        self.init(kind)
        if kind.isBinary {
            let digits = rest.prefix { DecimalDigits.isDigit($0) }
            rest = rest[digits.endIndex...]
            guard let number = DecimalDigits.number(digits), rest.popFirst() == UInt8(ascii: "-") else {
                throw .invalidAttachments
            }
            attachments = number
        }
        if rest.first == UInt8(ascii: "/") {
            let name = rest.prefix { $0 != UInt8(ascii: ",") }
            guard name.count <= Self.maximumNamespaceBytes,
                let string = String(validating: name, as: UTF8.self)
            else { throw .invalidNamespace }
            namespace = string
            rest = rest[name.endIndex...].dropFirst()
        }
        let digits = rest.prefix { DecimalDigits.isDigit($0) }
        if !digits.isEmpty {
            guard let number = DecimalDigits.number(digits) else { throw .invalidAcknowledgementID }
            id = number
            rest = rest[digits.endIndex...]
        }
        json = Array(rest)
    }

    /// The packet as the text of an Engine.IO message, without its leading 4.
    package var text: [UInt8] {
        var text: [UInt8] = [UInt8(ascii: "0") + kind.rawValue]
        text.reserveCapacity(json.count + 16)
        if kind.isBinary {
            text += String(attachments).utf8
            text.append(UInt8(ascii: "-"))
        }
        if namespace != "/" {
            text += namespace.utf8
            if id != nil || !json.isEmpty { text.append(UInt8(ascii: ",")) }
        }
        if let id { text += String(id).utf8 }
        text += json
        return text
    }

    /// The WebSocket text of an event in `/`: `42["name",argument]`.
    ///
    /// It is the same for receivers of both revisions, so it is created once.
    /// - Parameter argument: JSON text; when empty the event has none.
    package static func eventFrame(name: String, argument: [UInt8]) -> [UInt8] {
        var frame: [UInt8] = []
        frame.reserveCapacity(name.utf8.count + argument.count + 8)
        frame += "42[".utf8
        frame += JSONValue.string(name).bytes
        if !argument.isEmpty {
            frame.append(UInt8(ascii: ","))
            frame += argument
        }
        frame.append(UInt8(ascii: "]"))
        return frame
    }
}
