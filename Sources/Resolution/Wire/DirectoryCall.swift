import JSON

/// What a peer asks of a resolver.
package enum DirectoryCall: Sendable, Hashable {
    /// A serial as it was sent, and the station that it names; `nil` if it can name none.
    package struct Name: Sendable, Hashable {
        package let sent: String
        package let serial: StationSerial?
    }

    /// A station tells its address.
    package struct Update: Sendable, Hashable {
        /// As it was sent.
        package let sentSerial: String
        package let serial: StationSerial
        /// `nil` for the peer's address.
        package let claimed: StationAddress?
        /// The address as it was sent; `nil` for none.
        package let sentAddress: String?
        /// Seconds since 1970, of a signed update.
        package let time: Int?
        /// Hexadecimal, of a signed update.
        package let signature: String?
    }

    case request([Name])
    case update(Update)

    /// - Throws: Why it is refused.
    package init(_ bytes: [UInt8]) throws(DirectoryRefusal) {
        guard let value = DirectoryMessage.value(bytes), let members = value.object else { throw .noJSON }
        switch (members["HRHomeStationsRequest"], members["HRHomeStationUpdate"]) {
        case (let request?, nil): self = .request(try Self.names(request))
        case (nil, let update?): self = .update(try Update(update))
        case (nil, nil), (_?, _?): throw .unknownMessage
        }
    }

    private static func names(_ request: JSONValue) throws(DirectoryRefusal) -> [Name] {
        guard let entries = request.array else { throw .noSerial }
        guard (1...DirectoryMessage.maximumNames).contains(entries.count) else { throw .tooManyNames }
        var names: [Name] = []
        for entry in entries {
            guard let sent = entry["StationDID"]?.string else { throw .noSerial }
            names.append(Name(sent: sent, serial: StationSerial(sent)))
        }
        return names
    }
}

extension DirectoryCall.Update {
    fileprivate init(_ value: JSONValue) throws(DirectoryRefusal) {
        guard let sent = value["StationDID"]?.string, let serial = StationSerial(sent) else {
            throw .noSerial
        }
        (sentSerial, self.serial) = (sent, serial)
        switch value["StationIP"] {
        case nil, .null?: (sentAddress, claimed) = (nil, nil)
        case .string(let text)?:
            guard let address = StationAddress(text) else { throw .noAddress }
            (sentAddress, claimed) = (text, address)
        default: throw .noAddress
        }
        time = value["StationTime"]?.integer
        signature = value["StationSign"]?.string
    }
}

/// Why a peer was closed without an answer; a counter and a line of the log for each.
package enum DirectoryRefusal: String, Error, Sendable, Hashable, CaseIterable {
    case noJSON = "no JSON"
    case unknownMessage = "neither a request nor an update, or both"
    case noSerial = "StationDID is missing, or no text of 1 to 64 bytes without control characters"
    case noAddress = "StationIP is no IPv4 address"
    case tooLong = "more than 64 KiB"
    case tooDeep = "nested deeper than 8"
    case tooManyNames = "not 1 to 100 names"
    case noPeer = "it has gone, and its address is not known any more"
    case tooSlow = "nothing complete within the time limit"
    case incomplete = "the peer left in the middle of a message"
    case tooManyConnections = "too many connections"
    case tooOften = "too many names and updates of one peer"
    case mayNotUpdate = "its network may not send updates"
    case mayNotAsk = "its network may not ask"
    case unsigned = "the serial takes signed updates only"
    case badSignature = "the signature is wrong"
    case badTime = "the time of the signature is not new, or far from ours"
    case database = "the database cannot be used"
}
