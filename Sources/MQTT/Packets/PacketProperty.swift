/// The packets that a broker sends to a client without enhanced authentication, and without QoS 2.
///
/// - Source: MQTT 5.0, 2.1.2.
enum Packet: UInt8, CustomStringConvertible {
    case connack = 2
    case publish, puback
    case suback = 9
    case unsuback = 11
    case pingresp = 13
    case disconnect

    var description: String {
        switch self {
        case .connack: "CONNACK"
        case .publish: "PUBLISH"
        case .puback: "PUBACK"
        case .suback: "SUBACK"
        case .unsuback: "UNSUBACK"
        case .pingresp: "PINGRESP"
        case .disconnect: "DISCONNECT"
        }
    }
}

/// The MQTT 5 properties that a client may receive.
///
/// Without topic aliases, which this client does not allow.
/// - Source: MQTT 5.0, 2.2.2.2.
enum PacketProperty: UInt8 {
    case payloadFormat = 0x01
    case messageExpiry = 0x02
    case contentType = 0x03
    case responseTopic = 0x08
    case correlationData = 0x09
    case subscriptionIdentifier = 0x0B
    case sessionExpiry = 0x11
    case assignedClientID = 0x12
    case serverKeepAlive = 0x13
    case authenticationMethod = 0x15
    case authenticationData = 0x16
    case responseInformation = 0x1A
    case serverReference = 0x1C
    case reasonString = 0x1F
    case receiveMaximum = 0x21
    case topicAliasMaximum = 0x22
    case maximumQoS = 0x24
    case retainAvailable = 0x25
    case userProperty = 0x26
    case maximumPacketSize = 0x27
    case wildcardsAvailable = 0x28
    case subscriptionIdentifiersAvailable = 0x29
    case sharedSubscriptionsAvailable = 0x2A

    enum Form {
        /// A fixed number of bytes.
        case integer(Int)
        /// One to four bytes.
        case variable
        /// A number of texts or binary values, each after its length.
        case texts(Int)
    }

    var form: Form {
        switch self {
        case .payloadFormat, .maximumQoS, .retainAvailable, .wildcardsAvailable,
            .subscriptionIdentifiersAvailable, .sharedSubscriptionsAvailable:
            .integer(1)
        case .serverKeepAlive, .receiveMaximum, .topicAliasMaximum: .integer(2)
        case .messageExpiry, .sessionExpiry, .maximumPacketSize: .integer(4)
        case .subscriptionIdentifier: .variable
        case .contentType, .responseTopic, .correlationData, .assignedClientID, .authenticationMethod,
            .authenticationData, .responseInformation, .serverReference, .reasonString:
            .texts(1)
        case .userProperty: .texts(2)
        }
    }

    /// The packets that may contain it.
    var packets: [Packet] {
        switch self {
        case .payloadFormat, .messageExpiry, .contentType, .responseTopic, .correlationData,
            .subscriptionIdentifier:
            [.publish]
        case .sessionExpiry, .assignedClientID, .serverKeepAlive, .authenticationMethod, .authenticationData,
            .responseInformation, .receiveMaximum, .topicAliasMaximum, .maximumQoS, .retainAvailable,
            .maximumPacketSize, .wildcardsAvailable, .subscriptionIdentifiersAvailable,
            .sharedSubscriptionsAvailable:
            [.connack]
        case .serverReference: [.connack, .disconnect]
        case .reasonString:
            [.connack, .puback, .suback, .unsuback, .disconnect]
        case .userProperty:
            [.connack, .publish, .puback, .suback, .unsuback, .disconnect]
        }
    }
}
