package import JSON
import Text
package import Things

/// A thing that a gateway sees, and that may become an end node of it.
///
/// - Source: contrib/contract/bindings.md, "The thing at the edge".
package struct EdgeNode: Sendable, Hashable {
    package let vendor: String
    package let properties: JSONObject?

    package static let maximumCount = 1000
    /// Bytes of the whole list as it was sent.
    package static let maximumMessage = 61_440
    /// Levels of objects and lists within the properties, with their own.
    package static let maximumDepth = OnboardingRequest.maximumDepth

    package init(_ vendor: String, properties: JSONObject? = nil) {
        (self.vendor, self.properties) = (vendor, properties)
    }

    /// Reads all that a gateway sees; a list is taken as a whole or refused as a whole.
    ///
    /// - Parameter gateway: The vendorThingID of the gateway, which is no end node of its own.
    package static func list(_ json: JSONValue, of gateway: String) throws(Refusal) -> [EdgeNode] {
        let legal = "a list of at most \(maximumCount) nodes"
        guard let list = json.array else {
            throw Refusal(.wrongType, "nodes must be \(legal), is \(QuotedValue.of(json))", field: "nodes")
        }
        guard list.count <= maximumCount else {
            throw Refusal(.tooLarge, "nodes must be \(legal), has \(list.count)", field: "nodes")
        }
        var nodes: [EdgeNode] = []
        var known: Set<String> = [gateway]
        for (index, json) in list.enumerated() {
            let object = try ReceivedObject(
                json,
                at: "nodes[\(index)]",
                known: ["vendorThingID", "thingProperties"]
            )
            let vendor = try object.text("vendorThingID", VendorName.thingRule)
            guard VendorName.isLegalThing(vendor) else {
                throw object.invalid("vendorThingID", .string(vendor), VendorName.thingRule)
            }
            guard known.insert(vendor).inserted else {
                let rest = vendor == gateway ? "is the gateway itself" : "is in the list twice"
                throw object.refusal(.invalidValue, of: "vendorThingID", "\(QuotedValue.of(vendor)) \(rest)")
            }
            let properties = try object.optionalObject("thingProperties")
            var buffer = JSONBuffer()
            if let properties { buffer.write(properties) }
            guard buffer.nesting <= maximumDepth else {
                let rest = "must have at most \(maximumDepth) levels, has \(buffer.nesting)"
                throw object.refusal(.invalidValue, of: "thingProperties", rest)
            }
            nodes.append(EdgeNode(vendor, properties: properties))
        }
        return nodes
    }
}
