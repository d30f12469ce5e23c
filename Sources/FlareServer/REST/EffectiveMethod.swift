import HTTPTypes
import Hummingbird

extension Request {
    /// The request with the method that it is about: a POST may name another one in a header.
    ///
    /// Rights are asked for, and what is to be done is chosen, by this one request, so that they cannot differ.
    /// - Source: contrib/contract/flare-protocol.md, "2.1 Requests and answers"; method-override 2, which by
    ///   default reads nothing but the header.
    var withEffectiveMethod: Request {
        guard head.method == .post, let name = head.headerFields[.methodOverride],
            let method = HTTPRequest.Method(rawValue: name.uppercased())
        else { return self }
        var head = head
        head.headerFields[.methodOverride] = nil
        // What was sent is a POST, whose response has a body.
        head.method = method == .head ? .get : method
        return Request(head: head, body: body)
    }
}

extension HTTPField.Name {
    fileprivate static let methodOverride = HTTPField.Name("X-HTTP-Method-Override") ?? .upgrade
}
